// Keeps in this tab what is written in forms with `data-kept`, until the server has said that it arrived. The
// attribute names the member and the place, such as a reply to one post. A form that is loaded again gets it back.
const PREFIX = "kept:"
const VALUE_MAX = 10_000 // characters
const CONTROLS = "textarea, select, input:not([type=hidden], [type=file], [type=password])"
const IGNORED = /^$|(^|_)(focus|position|removed)$/ // of pictures, which are not kept
const restored = new WeakSet()

// Return [name, place among equal names, value, value at first, field] of each field.
function fieldsOf(form) {
  const counts = {}
  return [...form.querySelectorAll(CONTROLS)]
    .filter(field => !IGNORED.test(field.name))
    .map(field => {
      const { name } = field
      counts[name] = (counts[name] ?? -1) + 1
      return [name, counts[name], ...valuesOf(field), field]
    })
}

function valuesOf(field) {
  if (/checkbox|radio/.test(field.type)) return [field.checked, field.defaultChecked]
  const initial = field.options
    ? ([...field.options].find(option => option.defaultSelected)?.value ?? field.options[0]?.value)
    : field.defaultValue
  return [field.value.slice(0, VALUE_MAX), initial]
}

// `id` names a submission. Whatever is written after it has none.
function keep(form, id = "") {
  const { kept } = form.elements
  if (kept) kept.value = id
  const key = PREFIX + form.dataset.kept
  const fields = fieldsOf(form)
  const isChanged = fields.some(([, , value, initial]) => value !== initial)
  if (!isChanged && !id) return sessionStorage.removeItem(key)
  const filled = fields.filter(([, , value, initial]) => value || value !== initial)
  const draft = form.elements.key?.value
  const values = filled.map(one => one.slice(0, 4))
  sessionStorage.setItem(key, JSON.stringify({ id, draft, fields: values }))
}

async function restore(form) {
  if (restored.has(form)) return
  restored.add(form)
  const saved = JSON.parse(sessionStorage.getItem(PREFIX + form.dataset.kept))
  if (saved?.draft) form.elements.key.value = saved.draft
  for (const [name, place, value, initial] of saved?.fields ?? []) {
    const fields = fieldsOf(form)
    const field =
      fields.find(one => one[0] === name && one[1] === place)?.[4] ?? (await addPost(form, name))
    if (!field) continue
    const [current] = valuesOf(field)
    // The member has begun to write, or the server has filled in something else since.
    if (current === value || (current !== initial && current !== "")) continue
    if (typeof value === "boolean") field.checked = value
    else field.value = value
    field.closest("details:not(.menu)")?.setAttribute("open", "")
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }))
  }
}

// A field for a further post of a thread.
async function addPost(form, name) {
  if (!/^more\d$/.test(name) || !form.elements.another) return null
  const { addPost } = await import("../statuses/thread.js")
  return addPost(form).catch(() => null)
}

const isKept = form => Boolean(form?.dataset?.kept)
const keptForms = () => document.querySelectorAll("form[data-kept]")
const [, sent] = document.cookie.match(/(?:^|; )linnet_sent=([\w-]+)/) ?? []
// A page that opens the draft of another form goes on with it.
const opened = new Map([...keptForms()].map(form => [form.elements.key?.value, form.dataset.kept]))
for (const key of Object.keys(sessionStorage)) {
  if (!key.startsWith(PREFIX)) continue
  const { id, draft } = JSON.parse(sessionStorage[key])
  const place = draft && opened.get(draft)
  if (id === sent || (place && PREFIX + place !== key)) sessionStorage.removeItem(key)
}
document.addEventListener("input", ({ target: { form } }) => isKept(form) && keep(form))
document.addEventListener("focusin", ({ target: { form } }) => isKept(form) && restore(form))
document.addEventListener("linnet:blank", ({ detail: form }) => isKept(form) && keep(form))
document.addEventListener(
  "submit",
  ({ target: form }) => {
    if (!isKept(form)) return
    if (!form.elements.kept)
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "kept" }))
    const random = () => crypto.getRandomValues(new Uint32Array(3)).join("-")
    keep(form, form.elements.kept.value || random())
  },
  true,
)
await Promise.all([...keptForms()].map(restore))
// What was written before this was loaded. If a button has the focus, the form may be on its way.
const written = document.activeElement
if (isKept(written?.form) && written.matches(CONTROLS)) keep(written.form)
