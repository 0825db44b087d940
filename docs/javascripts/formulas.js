// Draws the formulas of a page; the build leaves each as \(...\) or \[...\] in an element of its own.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".arithmatex")) {
    const [, open, formula] = element.textContent.trim().match(/^\\([([])([^]*)\\[)\]]$/);
    katex.render(formula, element, { displayMode: open === "[", throwOnError: false });
  }
});
