import { createHash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --accent: #0b6bcb; }
@media (prefers-color-scheme: dark) { :root { --accent: #7ab8ff; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
h4 { font-size: .875rem; margin: 1.25rem 0 .25rem; }
a { color: var(--accent); }
p { margin: .25rem 0 .75rem; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre { background: var(--soft); padding: .75rem; border-radius: .5rem; overflow-x: auto; margin: .25rem 0 .75rem; }
table { border-collapse: collapse; width: 100%; margin: .25rem 0 .75rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; }
@media (max-width: 45rem) { tbody :is(th, td) { overflow-wrap: anywhere; } }
.long { overflow-wrap: anywhere; }
nav ul { columns: 14rem; list-style: none; margin: .5rem 0; padding: 0; }
[id] { scroll-margin-top: 4rem; }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; }
summary { cursor: pointer; padding: .5rem .75rem; }
details > div { padding: 0 .75rem .5rem; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 600; color: var(--accent); }
.muted { opacity: .75; }
form { max-width: 24rem; }
label { font-weight: 600; }
input, button { font: inherit; color: inherit; padding: .5rem .75rem; border: 1px solid #777; border-radius: .5rem; background: transparent; }
input { width: 100%; }
button { cursor: pointer; margin: 0 .5rem .5rem 0; }
button:first-of-type { background: var(--accent); border-color: var(--accent); color: Canvas; font-weight: 600; }
button.secondary { background: transparent; border-color: #777; color: inherit; font-weight: inherit; }
:is(input, button):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[role=alert] { border-left: .25rem solid #d32f2f; background: var(--soft); padding: .5rem .75rem; }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
/** Not formatted, since the policy allows exactly these bytes. */
const styleElement = () => new Html(`<style>${STYLE}</style>`)

const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; frame-ancestors 'none'; base-uri 'none'`

/** Trusted HTML; anything else is escaped in a page. */
export class Html {
  constructor(readonly text: string) {}
}

/** Builds HTML from a template. Values are escaped unless they are Html; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(
    parts
      .map((part, index) => part + (index < values.length ? escaped(values[index]) : ''))
      .join('')
  )
}

function escaped(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(escaped).join('')
  }
  if (value instanceof Html) {
    return value.text
  }
  if (value === undefined || value === null || value === false) {
    return ''
  }
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

interface PageOptions {
  /** Additional sources of the `form-action` policy. */
  readonly formTargets?: readonly string[]
}

/** Responds with a self-contained page; its policy forbids loading anything else. */
export function sendPage(
  { response }: HttpContext,
  title: string,
  content: Html,
  { formTargets = [] }: PageOptions = {}
): void {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${styleElement()}
      </head>
      <body>
        ${content}
      </body>
    </html> `
  response.header('content-type', 'text/html; charset=utf-8')
  const targets = ["'self'", ...formTargets].join(' ')
  response.header('content-security-policy', `${POLICY}; form-action ${targets}`)
  response.send(page.text)
}
