// Measures a report inside frames of several widths, and leaves what it found in the page as JSON.
const luminance = ([r, g, b]) => {
  const part = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const numbers = (color) => color.match(/[\d.]+/g).map(Number);
const contrast = (one, other) => {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};
const ground = (element, view) => {
  for (let each = element; each; each = each.parentElement) {
    const color = numbers(view.getComputedStyle(each).backgroundColor);
    if (color.length < 4 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const seen = (element) => element.checkVisibility({ opacityProperty: true }) && element.getBoundingClientRect().width > 1;

const measure = (frame) => {
  const view = frame.contentWindow, page = frame.contentDocument;
  const open = page.querySelectorAll(".patch[open]").length;
  for (const fold of page.querySelectorAll("details")) fold.open = true;
  const texts = [...page.querySelectorAll("body *")].filter((element) =>
    seen(element) && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const faint = texts.map((element) => {
    const style = view.getComputedStyle(element);
    return [contrast(numbers(style.color), ground(element, view)), element.className || element.tagName];
  }).sort((a, b) => a[0] - b[0])[0];
  const pair = page.querySelector(".pair.two").querySelectorAll("figure");
  const [mine, theirs] = [...pair].map((figure) => figure.getBoundingClientRect());
  const patches = () => [...page.querySelectorAll(".patch")].filter(seen).length;
  const counts = { all: patches() };
  for (const name of ["refused", "good"]) {
    page.getElementById(`show-${name}`).click();
    counts[name] = patches();
  }
  page.getElementById("show-all").click();
  return {
    width: view.innerWidth,
    scrolls: page.documentElement.scrollWidth - page.documentElement.clientWidth,
    contrast: Math.round(faint[0] * 10) / 10,
    faint: faint[1],
    beside: mine.top === theirs.top && mine.right <= theirs.left + 1,
    below: theirs.top >= mine.bottom - 1,
    open,
    fetched: view.performance.getEntriesByType("resource").length,
    ground: view.getComputedStyle(page.body).backgroundColor,
    counts,
  };
};
addEventListener("load", () => {
  const found = [...document.querySelectorAll("iframe")].map(measure);
  document.body.textContent = "measured" + JSON.stringify(found) + "measured";
});
