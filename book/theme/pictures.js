// Pictures have a light and a dark form, and a browser takes the one that its system prefers. A reader who chooses a
// theme of the book gets the pictures of that.
(() => {
  const root = document.documentElement;
  const dark = ['navy', 'coal', 'ayu'];
  const follow = () => {
    const isDark = dark.some((theme) => root.classList.contains(theme));
    for (const source of document.querySelectorAll('picture > source[srcset$="-dark.svg"]')) {
      source.media = isDark ? 'all' : 'not all';
    }
  };
  follow();
  new MutationObserver(follow).observe(root, { attributeFilter: ['class'] });
})();
