// Tells the reader's time zone with the first check-in. Without this the day is that of UTC.
const field = document.querySelector("[name=zone]")
if (field) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone
