import { html, phrase, type Html } from '#http/page'
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
  ${rows.length > 0 && attributeTable('docs.columns.attribute', rows)}`
}

/** Renders a table of names, types and descriptions. The heading is the key of a text. */
export function attributeTable(heading: string, rows: readonly Row[]): Html {
  const isExplained = rows.some(({ schema }) => schema.description !== undefined)
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${phrase(heading)}</th>
        <th scope="col">${phrase('docs.columns.type')}</th>
        ${isExplained && html`<th scope="col">${phrase('docs.columns.meaning')}</th>`}
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

/** Renders a choice: "a, b or c". */
export function alternatives(parts: readonly Html[]): Html {
  const last = parts.at(-1)
  const others = parts.slice(0, -1)
  if (!last || others.length === 0) {
    return html`${last}`
  }
  const list = html`${others.map((part, index) => html`${index > 0 && ', '}${part}`)}`
  return phrase('docs.types.or', { list, last })
}

function tableRow({ name, schema, isOptional }: Row, isExplained: boolean): Html {
  return html`<tr>
    <th scope="row">
      <code>${name}</code
      >${isOptional && html` <span class="muted">${phrase('docs.optional')}</span>`}
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
  const variants = [anyOf, oneOf, allOf].flatMap((list) => (list as JsonSchema[]) ?? [])
  return [
    ...own,
    ...(isSchema(items) ? rowsOf(items, `${prefix}[]`) : []),
    ...(isSchema(additionalProperties)
      ? rowsOf(additionalProperties, prefix ? `${prefix}.*` : '*')
      : []),
    ...variants.flatMap((variant) => rowsOf(variant, prefix)),
  ]
}

function schemaType(schema: JsonSchema): Html {
  const limits = limitsOf(schema)
  return html`${typeName(schema)}${limits.map((limit) => html`, ${limit}`)}`
}

function typeName(schema: JsonSchema): Html {
  const { $ref, const: constant, enum: values, anyOf, oneOf, type, format } = schema
  const schemas = (anyOf ?? oneOf) as JsonSchema[] | undefined
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    return html`<a href="#${schemaAnchor(name)}">${name}</a>`
  }
  if (constant !== undefined) {
    return literal(constant)
  }
  if (Array.isArray(values)) {
    return alternatives(values.map(literal))
  }
  if (schemas) {
    return alternatives(schemas.map(schemaType))
  }
  const names = [type ?? 'anything'].flat().map((name) => html`${nameOf(String(name), schema)}`)
  return html`${alternatives(names)}${format && ` (${format})`}`
}

function nameOf(type: string, { items, additionalProperties }: JsonSchema): Html {
  if (type === 'array') {
    return isSchema(items)
      ? phrase('docs.types.listOf', { items: schemaType(items) })
      : phrase('docs.types.list')
  }
  if (type === 'object' && isSchema(additionalProperties)) {
    return phrase('docs.types.objectOf', { attribute: schemaType(additionalProperties) })
  }
  return html`${type}`
}

function limitsOf(schema: JsonSchema): Html[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern } = schema
  return [
    range('characters', minLength, maxLength),
    range('value', minimum, maximum),
    range('items', minItems, maxItems),
    pattern !== undefined &&
      phrase('docs.limits.pattern', { pattern: html`<code class="long">${pattern}</code>` }),
  ].filter((limit) => limit !== false)
}

function range(unit: string, min: unknown, max: unknown): Html | false {
  if (min === undefined && max === undefined) {
    return false
  }
  const limit = min === undefined ? 'most' : max === undefined ? 'least' : 'between'
  return phrase(`docs.limits.${unit}.${limit}`, { min, max })
}

function literal(value: unknown): Html {
  return html`<code>${JSON.stringify(value)}</code>`
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
