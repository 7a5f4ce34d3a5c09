//! Draws what it is told.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let text = args.next().unwrap();
    let coloring = args.next().unwrap_or("tile".into()).parse()?;
    let at = args.next().map(|t| t.split(',').map(|x| x.parse().unwrap()).collect());
    let theme = if std::env::var("DARK").is_ok() {
        tilewright_view::Theme::Dark
    } else {
        tilewright_view::Theme::Light
    };
    let options = tilewright_view::Options { coloring, at, theme, ..Default::default() };
    let scene = if std::env::var("STEPS").is_ok() {
        tilewright_view::Scene::of_steps(text.parse()?, &options)?
    } else if let Ok(b) = std::env::var("B") {
        tilewright_view::Scene::of_two(text.parse()?, b.parse()?, &options)?
    } else {
        tilewright_view::Scene::of(text.parse()?, &options)?
    };
    if std::env::var("TEXT").is_ok() {
        let colors = if std::env::var("COLOR").is_ok() {
            tilewright_view::Colors::Any
        } else {
            tilewright_view::Colors::None
        };
        print!("{}", scene.to_text(tilewright_view::Terminal { colors, ..Default::default() }));
        return Ok(());
    }
    if let Ok(p) = std::env::var("PNG") {
        std::fs::write(p, scene.to_png(theme)?)?;
        return Ok(());
    }
    if std::env::var("TEX").is_ok() {
        print!("{}", scene.to_tikz(theme));
        return Ok(());
    }
    print!("{}", scene.to_svg(theme));
    Ok(())
}
