import { html, type Html } from '#http/page'
import type { JsonSchema } from '#kernel/json_schema'

interface Row {
  name: string
  schema: JsonSchema
  isOptional: boolean
}

/** The anchor of a component schema. */
export function schemaAnchor(name: string): string {
  return `schema-${name}`
}

/** Renders a JSON schema: its type, and a table of its attributes. */
export function schemaTable(schema: JsonSchema): Html {
  const rows = rowsOf(schema, '')
  const isPlainObject = schema.type === 'object' && rows.length > 0
  return html`${!isPlainObject && html`<p>${schemaType(schema)}</p>`}
  ${rows.length > 0 && attributeTable('Attribute', rows)}`
}

/** Renders a table of names, types and descriptions. */
export function attributeTable(heading: string, rows: readonly Row[]): Html {
  const isExplained = rows.some(({ schema }) => schema.description !== undefined)
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${heading}</th>
        <th scope="col">Type</th>
        ${isExplained && html`<th scope="col">Meaning</th>`}
      </tr>
    </thead>
    <tbody>
      ${rows.map((row) => tableRow(row, isExplained))}
    </tbody>
  </table>`
}

/** Renders text with code spans in backticks. */
export function prose(text: unknown): Html {
  const parts = String(text ?? '').split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

function tableRow({ name, schema, isOptional }: Row, isExplained: boolean): Html {
  return html`<tr>
    <th scope="row">
      <code>${name}</code>${isOptional && html` <span class="muted">optional</span>`}
    </th>
    <td>${schemaType(schema)}</td>
    ${isExplained && html`<td>${prose(schema.description)}</td>`}
  </tr>`
}

function rowsOf(schema: JsonSchema, prefix: string): Row[] {
  const {
    properties = {},
    required = [],
    items,
    additionalProperties,
    anyOf,
    oneOf,
    allOf,
  } = schema
  const own = Object.entries(properties as Record<string, JsonSchema>).flatMap(
    ([key, property]) => {
      const name = prefix ? `${prefix}.${key}` : key
      const isOptional = !(required as string[]).includes(key)
      return [{ name, schema: property, isOptional }, ...rowsOf(property, name)]
    }
  )
  const alternatives = [anyOf, oneOf, allOf].flatMap((list) => (list as JsonSchema[]) ?? [])
  return [
    ...own,
    ...(isSchema(items) ? rowsOf(items, `${prefix}[]`) : []),
    ...(isSchema(additionalProperties)
      ? rowsOf(additionalProperties, prefix ? `${prefix}.*` : '*')
      : []),
    ...alternatives.flatMap((alternative) => rowsOf(alternative, prefix)),
  ]
}

function schemaType(schema: JsonSchema): Html {
  const limits = limitsOf(schema)
  return html`${typeName(schema)}${limits.map((limit) => html`, ${limit}`)}`
}

function typeName(schema: JsonSchema): Html {
  const { $ref, const: constant, enum: values, anyOf, oneOf, type, format } = schema
  const alternatives = (anyOf ?? oneOf) as JsonSchema[] | undefined
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    return html`<a href="#${schemaAnchor(name)}">${name}</a>`
  }
  if (constant !== undefined) {
    return literal(constant)
  }
  if (Array.isArray(values)) {
    return joined(values.map(literal), 'or')
  }
  if (alternatives) {
    return joined(alternatives.map(schemaType), 'or')
  }
  const names = [type ?? 'anything'].flat().map((name) => html`${nameOf(String(name), schema)}`)
  return html`${joined(names, 'or')}${format && ` (${format})`}`
}

function nameOf(type: string, { items, additionalProperties }: JsonSchema): Html {
  if (type === 'array') {
    return isSchema(items) ? html`list of ${schemaType(items)}` : html`list`
  }
  if (type === 'object' && isSchema(additionalProperties)) {
    return html`object, each attribute ${schemaType(additionalProperties)}`
  }
  return html`${type}`
}

function limitsOf(schema: JsonSchema): (string | Html)[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema
  return [
    range(minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, ' items'),
    pattern !== undefined && html`matching <code class="long">${pattern}</code>`,
  ].filter((limit) => limit !== false)
}

function range(min: unknown, max: unknown, unit: string): string | false {
  if (min !== undefined && max !== undefined) {
    return `${min} to ${max}${unit}`
  }
  if (min !== undefined) {
    return `at least ${min}${unit}`
  }
  return max !== undefined && `at most ${max}${unit}`
}

function literal(value: unknown): Html {
  return html`<code>${JSON.stringify(value)}</code>`
}

function joined(parts: readonly Html[], word: string): Html {
  return html`${parts.map((part, index) => html`${index > 0 && (index === parts.length - 1 ? ` ${word} ` : ', ')}${part}`)}`
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
