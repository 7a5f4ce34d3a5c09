"use strict";
// Each place: [x, y, width, height, offset, words].
const places = JSON.parse(document.getElementById("places").textContent);
const picture = document.getElementById("picture");
const said = document.getElementById("said");
let at = -1;

function light(number) {
  at = number;
  picture.querySelectorAll(".lit").forEach((box) => box.remove());
  if (number < 0) return;
  const offset = places[number][4];
  places.forEach(([x, y, width, height, other], place) => {
    if (place !== number && (offset === null || other !== offset)) return;
    const box = document.createElement("i");
    box.className = "lit";
    box.style.left = x + "px";
    box.style.top = y + "px";
    box.style.width = width + "px";
    box.style.height = height + "px";
    picture.append(box);
  });
  said.textContent = places[number][5];
}

picture.addEventListener("pointermove", (event) => {
  const page = picture.getBoundingClientRect();
  const [x, y] = [event.clientX - page.left, event.clientY - page.top];
  const found = places.findIndex(
    ([left, top, width, height]) => x >= left && x < left + width && y >= top && y < top + height,
  );
  if (found >= 0 && found !== at) light(found);
});

// The nearest place in a direction: its middle is beyond, and as little beside as can be.
picture.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!step || places.length === 0) return;
  event.preventDefault();
  if (at < 0) return light(0);
  const middle = ([x, y, width, height]) => [x + width / 2, y + height / 2];
  const [x, y] = middle(places[at]);
  let best = -1;
  let least = Infinity;
  places.forEach((place, number) => {
    const [u, v] = middle(place);
    const along = (u - x) * step[0] + (v - y) * step[1];
    const beside = Math.abs((u - x) * step[1]) + Math.abs((v - y) * step[0]);
    const far = along + 4 * beside;
    if (along > 1 && beside < 60 && far < least) [best, least] = [number, far];
  });
  if (best >= 0) light(best);
});
