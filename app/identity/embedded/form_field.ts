import { html, type Html } from '#http/page'

type Attributes = Readonly<Record<string, unknown>>

/** A line of a form: what is asked for, and the field for it. An attribute that is `true` stands without a value. */
export function formField(name: string, label: string, attributes: Attributes): Html {
  const rendered = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => (value === true ? html` ${key}` : html` ${key}="${value}"`))
  return html`
    <p>
      <label for="${name}">${label}</label><br />
      <input id="${name}" name="${name}" ${rendered} />
    </p>
  `
}
