//! The timeline as a picture to point at: what a memory space holds over the schedule, and whose it is.

use std::fmt::Write;

use tilewright::text::escaped_markup;

use crate::live::{Peak, Timeline};
use crate::memory_report::printed_size;

/// The picture in units of its own, which the browser scales.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 180.0;

/// So many of the largest buffers have a band of their own.
const MAX_BANDS: usize = 48;

/// The height of a band, and from one to the next.
const BAND: f64 = 9.0;
const STEP: f64 = 11.0;

/// The script that says who is there where one points: of the charts, which have their buffers beside them.
pub(crate) const SCRIPT: &str = "document.querySelectorAll('figure.chart').forEach(f=>{\
const d=JSON.parse(f.querySelector('script').textContent),s=f.querySelector('svg'),o=f.querySelector('output'),\
l=f.querySelector('line'),size=b=>{let i=0;while(b>=1024&&i<5){b/=1024;i++}return b.toFixed(i?2:0)+' '+['B','KiB','MiB','GiB','TiB','PiB'][i]};\
const at=t=>{l.setAttribute('x1',t/d.n*1000);l.setAttribute('x2',t/d.n*1000);\
let sum=0;for(const [w,b] of d.steps){if(w>t)break;sum=b}\
const who=d.lives.filter(v=>v[0]<=t&&t<=v[1]).slice(0,8);\
o.replaceChildren();const h=document.createElement('b');h.textContent=size(sum)+' at instruction '+t+' of '+d.n;o.append(h);\
who.forEach(v=>{const p=document.createElement('div');p.textContent=size(v[2])+'  '+v[3]+'  '+v[4]+(v[5]?'  '+v[5]:'');o.append(p)})};\
const go=e=>{const r=s.getBoundingClientRect();at(Math.max(0,Math.min(d.n-1,Math.floor((e.clientX-r.left)/r.width*d.n))))};\
s.addEventListener('pointermove',go);s.addEventListener('pointerdown',go);at(d.peak)});";

/// A chart of each memory space but those of semaphores: the sum over the schedule, a band for each of the
/// largest buffers, and, with [`SCRIPT`], who is there where one points.
pub(crate) fn charts(timelines: &[Timeline], peaks: &[Peak]) -> String {
    let mut page = String::new();
    for timeline in timelines.iter().filter(|timeline| !timeline.space.starts_with("S(")) {
        let peak = peaks.iter().find(|peak| peak.space == timeline.space);
        chart(&mut page, timeline, peak.map_or("", |peak| &peak.at));
    }
    page
}

fn chart(page: &mut String, timeline: &Timeline, at: &str) {
    let n = timeline.instructions.max(1);
    let most = timeline
        .steps
        .iter()
        .copied()
        .fold((0, 0), |most, (time, bytes)| if bytes > most.1 { (time, bytes) } else { most });
    let x = |time: f64| time / n as f64 * WIDTH;
    let y = |bytes: i64| HEIGHT * (1.0 - bytes as f64 / most.1.max(1) as f64);
    let mut path = format!("M0 {HEIGHT}");
    for &(time, bytes) in &timeline.steps {
        // Writing to a String does not fail.
        let _ = write!(path, "H{:.2}V{:.2}", x(time.into()), y(bytes));
    }
    let _ = write!(path, "H{WIDTH}V{HEIGHT}Z");
    let bands = timeline.lives.len().min(MAX_BANDS);
    let height = HEIGHT + 14.0 + bands as f64 * STEP;
    let space = escaped_markup(&timeline.space);
    let _ = write!(
        page,
        "<h2>{space}: {} of temporaries at the peak, at {}</h2>\n<figure class=chart><svg viewBox=\"0 0 {WIDTH} {height}\" \
         role=img aria-label=\"{space} over the schedule\" preserveAspectRatio=none><path class=sum d=\"{path}\"/>",
        printed_size(most.1),
        escaped_markup(at),
    );
    for (number, life) in timeline.lives.iter().take(bands).enumerate() {
        let (from, to) = (x(life.from.into()), x(f64::from(life.to) + 1.0));
        let buffer = &life.buffer;
        let source = buffer.source.as_ref().map(ToString::to_string);
        let source = source.or_else(|| buffer.op_name.clone()).unwrap_or_default();
        let title = format!(
            "{} {} {} {source} from {} to {}",
            printed_size(buffer.bytes),
            buffer.name,
            buffer.text,
            life.from,
            life.to
        );
        let top = HEIGHT + 14.0 + number as f64 * STEP;
        let share =
            25.0 + 75.0 * buffer.bytes as f64 / timeline.lives[0].buffer.bytes.max(1) as f64;
        let _ = write!(
            page,
            "<rect class=band x=\"{from:.2}\" y=\"{top}\" width=\"{:.2}\" height=\"{BAND}\" \
             opacity=\"{:.2}\"><title>{}</title></rect>",
            (to - from).max(1.0),
            share / 100.0,
            escaped_markup(&title)
        );
    }
    let _ = writeln!(
        page,
        "<line class=here y1=0 y2={height} x1=0 x2=0 /></svg><output></output><script type=application/json>{}</script></figure>",
        data(timeline, n, most.0)
    );
}

/// What the script needs to know, fit for a script element.
fn data(timeline: &Timeline, n: usize, peak: u32) -> String {
    let lives: Vec<serde_json::Value> = timeline
        .lives
        .iter()
        .map(|life| {
            let buffer = &life.buffer;
            let source = buffer.source.as_ref().map(ToString::to_string);
            serde_json::json!([
                life.from,
                life.to,
                buffer.bytes,
                &*buffer.text,
                buffer.name,
                source
            ])
        })
        .collect();
    let data = serde_json::json!({"n": n, "peak": peak, "steps": timeline.steps, "lives": lives});
    // No end tag, and no comment, begins in it.
    data.to_string().replace('<', "\\u003c")
}
