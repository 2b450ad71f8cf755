// Loads suggestions into the card beside a page, on screens wide enough to show it.
if (document.querySelector("[data-suggestions]")?.getClientRects().length)
  import("./suggestions-card.js")
