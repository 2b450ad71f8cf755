// Lets the site be installed, and answer without a connection.
addEventListener("load", () =>
  navigator.serviceWorker?.register("/service-worker.js").catch(() => {}),
)
