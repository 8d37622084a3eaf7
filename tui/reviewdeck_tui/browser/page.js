// The keys are the terminal's at once: without a click, and again after the window was left.
function focusTerminal() {
  const keys = document.querySelector("#terminal .xterm-helper-textarea");
  if (keys) keys.focus({ preventScroll: true });
  return Boolean(keys);
}
const watch = new MutationObserver(() => focusTerminal() && watch.disconnect());
watch.observe(document.getElementById("terminal"), { childList: true, subtree: true });
window.addEventListener("focus", focusTerminal);
