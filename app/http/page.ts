import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import type { HttpContext } from '@adonisjs/core/http'

import { texts } from './texts.js'

const read = (name: string) =>
  readFileSync(new URL(`../../resources/look/${name}`, import.meta.url), 'utf8')

/** Begins with the look that these pages share with the console. */
const STYLE = read('look.css') + read('page.css')
const ICON = read('icon.svg')
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
/** Not formatted, since the policy allows exactly these bytes. */
const styleElement = () => new Html(`<style>${STYLE}</style>`)

/** Part of the page, as images from elsewhere are forbidden. */
const brandIcon = () =>
  new Html(ICON.replace(/ xmlns="[^"]+"/, ' width="20" height="20" aria-hidden="true"'))

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

/** A text of the pages as HTML. Its values may be HTML themselves. */
export function phrase(key: string, values: Readonly<Record<string, unknown>> = {}): Html {
  return new Html(texts.write(key, values, escaped))
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
  title: string | Html,
  content: Html,
  { formTargets = [] }: PageOptions = {}
): void {
  const page = html`<!doctype html>
    <html lang="${texts.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}" />
        ${styleElement()}
      </head>
      <body>
        <header class="top"><span class="brand">${brandIcon()} ${phrase('product')}</span></header>
        ${content}
      </body>
    </html> `
  response.header('content-type', 'text/html; charset=utf-8')
  const targets = ["'self'", ...formTargets].join(' ')
  response.header('content-security-policy', `${POLICY}; form-action ${targets}`)
  response.send(page.text)
}
