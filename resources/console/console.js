/* What pages can do without: they work for reading and deciding without this script. */

const RELATIVE = new Intl.RelativeTimeFormat(document.documentElement.lang, {
  numeric: 'auto',
  style: 'short',
})
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]
const REFRESH_MS = 15_000

/** Ages count on while a page stays open. */
function updateAges() {
  for (const element of document.querySelectorAll('time[datetime]')) {
    const seconds = Math.round((Date.parse(element.dateTime) - Date.now()) / 1000)
    const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1]
    element.textContent = RELATIVE.format(Math.trunc(seconds / size), unit)
  }
}

/** Buttons that copy are shown only where they work. */
function enableCopying(root) {
  for (const button of root.querySelectorAll('[data-copy]')) {
    button.hidden = !navigator.clipboard
  }
}

/**
 * Sections with `data-refresh` are read again from the same page while it is visible. Whatever ends the session leads to
 * the sign-in, as a click would.
 */
async function refresh() {
  const sections = document.querySelectorAll('[data-refresh][id]')
  const isBusy = document.activeElement?.closest('[data-refresh]')
  if (sections.length === 0 || document.hidden || isBusy) {
    return
  }
  const response = await fetch(location.href, { redirect: 'manual' })
  if (response.type === 'opaqueredirect') {
    location.reload()
    return
  }
  if (!response.ok) {
    return
  }
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  document.title = page.title
  for (const section of sections) {
    const fresh = page.getElementById(section.id)
    if (fresh && fresh.innerHTML !== section.innerHTML) {
      section.replaceChildren(...fresh.childNodes)
      enableCopying(section)
    }
  }
}

document.addEventListener('click', async (event) => {
  const button = event.target.closest?.('[data-copy]')
  if (button) {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.classList.add('done')
    setTimeout(() => button.classList.remove('done'), 1_500)
  }
})

/** A second click sends nothing, and a confirmation has to match. */
document.addEventListener('submit', (event) => {
  const { target } = event
  const confirmation = target.querySelector('[data-confirm]')
  const isWrong = confirmation && confirmation.value !== confirmation.dataset.confirm
  if (isWrong || target.dataset.sent) {
    event.preventDefault()
    confirmation?.focus()
    return
  }
  if (target.method === 'post') {
    target.dataset.sent = 'yes'
  }
})

addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    delete form.dataset.sent
  }
})

enableCopying(document)
setInterval(updateAges, 1_000 * 20)
setInterval(() => refresh().catch(() => {}), REFRESH_MS)
