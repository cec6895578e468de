import { STATUS_CODES } from 'node:http'

import { html, phrase, type Html } from '#http/page'
import type { JsonSchema } from '#kernel/json_schema'
import {
  isReference,
  type Content,
  type DocumentedResponse,
  type DocumentedOperation,
  type DocumentedParameter,
  type OpenApiDocument,
  type TagGroup,
} from './document.js'
import { FAILURE_SCHEMAS } from './failure_responses.js'
import { alternatives, attributeTable, prose, schemaAnchor, schemaTable } from './schema_table.js'

export interface DocsPage {
  title: string
  content: Html
}

interface LocatedOperation {
  method: string
  path: string
  operation: DocumentedOperation
}

/**
 * Renders an OpenAPI document as an HTML page. It works without scripts: a collapsed operation is one line of the
 * overview.
 */
export function docsPage(document: OpenApiDocument): DocsPage {
  const { info, servers } = document
  const groups = document['x-tagGroups']
  const address = servers[0]!.url
  const content = html` <main>
    <h1>${info.title}</h1>
    <p class="muted">${phrase('docs.version', { version: info.version, summary: info.summary })}</p>
    <p>
      ${phrase('docs.address', {
        address: html`<code>${address}</code>`,
        document: html`<a href="${pathOf(address)}/docs/openapi.json"
          >${phrase('docs.document')}</a
        >`,
      })}
    </p>
    <nav aria-label="${phrase('docs.sections')}">
      <ul>
        <li><a href="#calling">${phrase('docs.calling')}</a></li>
        ${groups.map(({ name }) => html`<li><a href="#${anchor(name)}">${name}</a></li>`)}
      </ul>
    </nav>
    ${callingSection(document)} ${groups.map((group) => surfaceSection(document, group))}
  </main>`
  return { title: info.title, content }
}

function callingSection({ info, components }: OpenApiDocument): Html {
  const schemas = Object.keys(FAILURE_SCHEMAS).map((name) =>
    failureSchema(name, components.schemas[name]!)
  )
  return html` <section aria-labelledby="calling">
    <h2 id="calling">${phrase('docs.calling')}</h2>
    <p>${prose(info.description)}</p>
    ${schemas}
  </section>`
}

function failureSchema(name: string, schema: JsonSchema): Html {
  return html` <details>
    <summary>${name} <span class="muted">${schema.description}</span></summary>
    <div id="${schemaAnchor(name)}">${schemaTable(schema)} ${examplesOf(schema)}</div>
  </details>`
}

function surfaceSection(document: OpenApiDocument, { name, description, tags }: TagGroup): Html {
  const kinds = document.tags
    .filter((tag) => tags.includes(tag.name))
    .map((tag) => ({
      id: anchor(tag.name),
      shown: tag['x-displayName'],
      operations: operationsOf(document, tag.name),
    }))
  return html` <section aria-labelledby="${anchor(name)}">
    <h2 id="${anchor(name)}">${name}</h2>
    <p>${description}.</p>
    <nav aria-label="${name}">
      <ul>
        ${kinds.map(({ id, shown, operations }) => html`<li><a href="#${id}">${shown}</a> <span class="muted">${operations.length}</span></li>`)}
      </ul>
    </nav>
    ${kinds.map(
      ({ id, shown, operations }) =>
        html`<h3 id="${id}">${shown}</h3>
          ${operations.map((one) => operationDetails(document, one))}`
    )}
  </section>`
}

function operationsOf({ paths }: OpenApiDocument, tag: string): LocatedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation }))
  )
}

/** The anchor is inside the details, so that browsers open them when navigating to it. */
function operationDetails(
  document: OpenApiDocument,
  { method, path, operation }: LocatedOperation
): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  return html` <details>
    <summary>
      <span class="method">${method.toUpperCase()}</span> <code>${path}</code>
      <span class="muted">${summary}</span>
    </summary>
    <div>
      <p id="${operationId}">
        ${prose(description)} <a href="#${operationId}"><code>${operationId}</code></a>
      </p>
      ${
        parameters &&
        html`<h4>${phrase('docs.parameters')}</h4>
          ${attributeTable('docs.columns.parameter', parameters.map(parameterRow))}`
      }
      ${
        requestBody &&
        html`<h4>${phrase(requestBody.required ? 'docs.body' : 'docs.optionalBody')}</h4>
          ${contentTables(document, requestBody.content)}`
      }
      ${Object.entries(responses).map(([status, answer]) => !isReference(answer) && responseDetails(document, status, answer))}
    </div>
  </details>`
}

function parameterRow({ name, in: place, required, description, schema }: DocumentedParameter) {
  return {
    name: place === 'path' ? `{${name}}` : name,
    schema: { ...schema, description },
    isOptional: !required,
  }
}

function responseDetails(
  document: OpenApiDocument,
  status: string,
  answer: DocumentedResponse
): Html {
  const { description, headers = {}, content } = answer
  const rows = Object.entries(headers).map(([name, { schema, description: meaning }]) => ({
    name,
    schema: { ...schema, description: meaning },
    isOptional: false,
  }))
  return html` <h4>${phrase('docs.answer', { status, reason: STATUS_CODES[status] })}</h4>
    <p>${prose(description)}.</p>
    ${rows.length > 0 && attributeTable('docs.columns.header', rows)}
    ${content && contentTables(document, content)}`
}

/** Content types with the same schema are shown together. */
function contentTables(document: OpenApiDocument, content: Content): Html[] {
  const bySchema = Map.groupBy(Object.keys(content), (type) =>
    JSON.stringify(content[type]!.schema)
  )
  return [...bySchema.values()].map((types) => {
    const { schema } = content[types[0]!]!
    return html`<p class="muted">
        ${alternatives(types.map((type) => html`<code>${type}</code>`))}
      </p>
      ${schema && schemaTable(resolved(document, schema))}
      ${schema && examplesOf(resolved(document, schema))}`
  })
}

function examplesOf({ examples = [] }: JsonSchema): Html[] {
  return (examples as unknown[]).map(
    (example) => html`<pre tabindex="0">${JSON.stringify(example, null, 2)}</pre>`
  )
}

function resolved({ components }: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : undefined
  return name ? components.schemas[name]! : schema
}

/** Links to the document are relative to the host, since the page may be served under another host name. */
function pathOf(address: string): string {
  return new URL(address).pathname.replace(/\/$/, '')
}

function anchor(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}
