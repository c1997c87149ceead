/**
 * Light or dark: what the reader's system says, until the button says otherwise. Runs before the page is
 * painted.
 */
const KEY = "theme";
const root = document.documentElement;

function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // a browser that keeps nothing still changes its theme
  }
}

const isDark = () =>
  root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

if (kept()) root.dataset.theme = kept();
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("#theme")) return;
  root.dataset.theme = isDark() ? "light" : "dark";
  keep(root.dataset.theme);
});
