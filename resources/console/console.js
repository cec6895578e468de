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
/** While changes are announced, sections are read again only in case one was missed. */
const LIVE_REFRESH_MS = 60_000
/** A busy hub changes all the time; pages are read at most this often. */
const CHANGE_PAUSE_MS = 2_000
const RETRY_MS = 60_000
const MAX_LOG_LINES = 1_000

/** Ages count on while a page stays open. */
function updateAges() {
  for (const element of document.querySelectorAll('time[datetime]:not([data-clock])')) {
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

/** Reads the page again. If the session has ended, this leads to the sign-in, as a click would. */
async function readPage() {
  const response = await fetch(location.href, { redirect: 'manual' })
  if (response.type === 'opaqueredirect') {
    location.reload()
  }
  return response.ok
    ? new DOMParser().parseFromString(await response.text(), 'text/html')
    : undefined
}

/** Sections with `data-refresh` are read again while the page is visible, except the one that the reader works in. */
async function refresh(isConcerned = () => true) {
  const sections = [...document.querySelectorAll('[data-refresh][id]')].filter(
    (section) => isConcerned(section) && !section.contains(document.activeElement)
  )
  const page = sections.length === 0 || document.hidden ? undefined : await readPage()
  if (!page) {
    return
  }
  document.title = page.title
  for (const section of sections) {
    const fresh = page.getElementById(section.id)
    if (fresh && fresh.innerHTML !== section.innerHTML) {
      section.replaceChildren(...fresh.childNodes)
      enableCopying(section)
    }
  }
  readAt = Date.now()
}

let readAt = Date.now()
let isLive = false
let changes = new Set()

const topicsOf = (section) => (section.dataset.topics ?? '').split(' ').filter(Boolean)

/** Reads the sections of the page again that changes concern, or all of them after a while. */
async function refreshWhenDue() {
  const changed = changes
  if (changed.size > 0 && Date.now() - readAt >= CHANGE_PAUSE_MS) {
    changes = new Set()
    await refresh((section) => topicsOf(section).some((topic) => changed.has(topic)))
  } else if (Date.now() - readAt >= (isLive ? LIVE_REFRESH_MS : REFRESH_MS)) {
    readAt = Date.now()
    await refresh()
  }
}

/**
 * Opens a stream while the page is visible, since a browser has few connections. One that the server refuses is tried
 * again after a while, and the page is read at once: that leads to the sign-in if the session has ended.
 */
function follow(address, listeners) {
  let source
  const open = () => {
    source = new EventSource(address)
    for (const [name, listener] of Object.entries(listeners)) {
      source.addEventListener(name, listener)
    }
    source.addEventListener('error', () => {
      isLive = false
      if (source.readyState === EventSource.CLOSED) {
        retryLater()
      }
    })
    source.addEventListener('unavailable', () => {
      source.close()
      retryLater()
    })
  }
  const retryLater = () => {
    source = undefined
    readPage().catch(() => {})
    setTimeout(update, RETRY_MS)
  }
  const update = () => {
    if (document.hidden) {
      source?.close()
      source = undefined
    } else if (!source) {
      open()
    }
  }
  document.addEventListener('visibilitychange', update)
  update()
}

function followChanges() {
  const topics = new Set([...document.querySelectorAll('[data-refresh][id]')].flatMap(topicsOf))
  const { live } = document.body.dataset
  if (!live || topics.size === 0) {
    return
  }
  follow(`${live}?${new URLSearchParams({ topics: [...topics].join(' ') })}`, {
    ready(event) {
      isLive = JSON.parse(event.data).isComplete
      refresh().catch(() => {})
    },
    change(event) {
      JSON.parse(event.data).topics.forEach((topic) => changes.add(topic))
    },
  })
}

/** Appends lines to a log, which scrolls along unless its reader has scrolled up. */
function followLog(list) {
  follow(list.dataset.log, {
    line(event) {
      const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40
      list.append(logLine(JSON.parse(event.data)))
      while (list.children.length > MAX_LOG_LINES) {
        list.firstElementChild.remove()
      }
      if (isAtEnd) {
        list.scrollTop = list.scrollHeight
      }
    },
  })
  list.scrollTop = list.scrollHeight
}

/** Texts of others are added as text only. */
function logLine({ time, level, message }) {
  const line = document.createElement('p')
  const at = document.createElement('time')
  at.dateTime = time
  at.dataset.clock = ''
  at.textContent = `${time.slice(0, 19).replace('T', ' ')} UTC`
  const word = document.createElement('b')
  word.textContent = level
  const text = document.createElement('span')
  text.textContent = message
  line.className = ['error', 'warn'].includes(level) ? level : 'line'
  line.append(at, ' ', word, ' ', text)
  return line
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

/** Where the areas are a line that is wider than the window, the current one is in sight. */
document
  .querySelector('.frame > nav [aria-current]')
  ?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })

enableCopying(document)
setInterval(updateAges, 1_000 * 20)
setInterval(() => refreshWhenDue().catch(() => {}), 500)
followChanges()
document.querySelectorAll('[data-log]').forEach(followLog)
