/* Runs in the pages of the console, and says what a person would notice there. */

/** What can have the focus, unless it is not shown. */
const FOCUSABLE =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'

/** Its month, day, year and calendar are stops of their own. */
const STOPS_IN_DATE = 3

const describe = (element) => {
  const text = element.textContent.trim().replace(/\s+/g, ' ').slice(0, 60)
  return `${location.pathname}: <${element.localName}> ${text || element.getAttribute('name') || element.className}`
}

const reached = new Set()
const faint = new Set()

const isShown = (element) => element.checkVisibility({ visibilityProperty: true })

const hasOutline = (element) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
}

globalThis.inPage = {
  /** Notes what gets the focus from now on. Returns how often Tab has to be pressed at most. */
  watchFocus() {
    document.addEventListener('focusin', ({ target }) => {
      reached.add(target)
      if (!hasOutline(target)) {
        faint.add(target)
      }
    })
    const stops = [...document.querySelectorAll(FOCUSABLE)].filter(isShown).length
    const dates = document.querySelectorAll('input[type=date]').length
    const scrollable = document.querySelectorAll('.table, pre, ol').length
    return stops + STOPS_IN_DATE * dates + scrollable
  },

  /** Whether the first stop leads past the navigation, and can be seen. */
  isAtSkipLink() {
    const element = document.activeElement
    const { left, top, width } = element.getBoundingClientRect()
    return element.matches('a[href="#main"]') && left >= 0 && top >= 0 && width > 1
  },

  /** What was not reached, or did not show that it was. Then the page is as it was opened. */
  focusFaults() {
    document.activeElement.blur()
    scrollTo({ top: 0, behavior: 'instant' })
    const all = [...document.querySelectorAll(FOCUSABLE)].filter(isShown)
    const missed = all.filter((element) => !reached.has(element))
    return [
      ...missed.map((element) => `${describe(element)} is not reached by keyboard`),
      ...[...faint].map((element) => `${describe(element)} does not show its focus`),
    ]
  },

  /** What sticks out of a window that the page should fit into. */
  overflow() {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) {
      return []
    }
    const wide = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1
    )
    const total = `${location.pathname} needs ${scrollWidth} pixels and has ${clientWidth}`
    return [total, ...wide.slice(0, 5).map(describe)]
  },

  /** The pages of the console that this one leads to. */
  links(prefix) {
    return [...document.querySelectorAll('a[href]:not([download])')]
      .map(({ href }) => new URL(href))
      .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith(prefix))
      .map(({ pathname, search }) => pathname + search)
  },
}
