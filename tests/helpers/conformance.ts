import assert from 'node:assert/strict'

import { ApiClient, type ApiResponse } from '@japa/api-client'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

import { documentOf } from '#openapi/surface_document'
import {
  isReference,
  type Content,
  type DocumentedResponse,
  type DocumentedMethod,
  type DocumentedOperation,
  type OpenApiDocument,
} from '#openapi/document'
import { SURFACE_NAMES, SURFACE_PREFIXES } from '#configuration/surfaces'
import { at, isTogether } from './application.js'

/** What was asked, and what came back. */
export interface Exchange {
  method: string
  /** The path as the document names it, without a query. */
  path: string
  status: number
  contentType: string
  text: string
}

/**
 * Compares answers with an OpenAPI document.
 */
export class Conformance {
  readonly #document: OpenApiDocument
  readonly #ajv: Ajv2020
  readonly #validators = new Map<unknown, ValidateFunction>()
  readonly #templates: { pattern: RegExp; path: string }[]

  constructor(document: OpenApiDocument) {
    this.#document = document
    this.#ajv = new Ajv2020({
      strict: false,
      validateSchema: false,
      logger: false,
      formats: FORMATS,
    })
    this.#ajv.addSchema(document, 'openapi')
    this.#templates = Object.keys(document.paths)
      .toSorted((one, other) => parameterCount(one) - parameterCount(other))
      .map((path) => ({ path, pattern: patternOf(path) }))
  }

  /** Throws an assertion error that says what the document does not know of. */
  check(exchange: Exchange): void {
    if (exchange.method === 'OPTIONS') {
      return
    }
    const operation = this.#operationFor(exchange)
    const { method, path, status } = exchange
    const name = `${method} ${path}`
    if (!operation) {
      assert.equal(status, 404, `${name} is answered with ${status} and is not in the document`)
    }
    const answer = operation && this.#answerFor(operation, status)
    if (answer) {
      this.#checkContent(`${name} ${status}`, answer.content, exchange)
    } else {
      assert.ok(
        status >= 400,
        `${name} is answered with ${status}, which the document does not name`
      )
      this.#checkContent(`${name} ${status}`, this.#failure.content, exchange)
      this.#checkStatusCode(name, exchange)
    }
  }

  get #failure(): DocumentedResponse {
    return this.#document.components.responses.Failure!
  }

  #operationFor({ method, path }: Exchange): DocumentedOperation | undefined {
    const key = (method === 'HEAD' ? 'get' : method.toLowerCase()) as DocumentedMethod
    const trimmed = path.replace(/(.)\/+$/, '$1')
    const found = this.#templates.find(
      (template) => template.pattern.test(trimmed) && this.#document.paths[template.path]![key]
    )
    return found && this.#document.paths[found.path]![key]
  }

  #answerFor({ responses }: DocumentedOperation, status: number): DocumentedResponse | undefined {
    const answer = responses[status]
    return answer && isReference(answer)
      ? this.#document.components.responses[answer.$ref.split('/').at(-1)!]
      : answer
  }

  #checkContent(
    name: string,
    content: Content = {},
    { method, contentType, text }: Exchange
  ): void {
    if (Object.keys(content).length === 0) {
      return assert.equal(text, '', `${name} has a body, where the document has none`)
    }
    const type = contentType.split(';')[0]!.trim()
    const documented = content[type]
    if (!documented) {
      assert.fail(`${name} is of type "${type}", where the document has ${Object.keys(content)}`)
    }
    if (method !== 'HEAD' && documented.schema && type === 'application/json') {
      this.#checkBody(name, documented.schema, JSON.parse(text))
    }
  }

  #checkBody(name: string, schema: Record<string, unknown>, body: unknown): void {
    const validate = this.#validators.get(schema) ?? this.#ajv.compile(absolute(schema))
    this.#validators.set(schema, validate)
    const isValid = validate(body)
    assert.ok(
      isValid,
      `${name} has another body than documented: ${this.#ajv.errorsText(validate.errors)}`
    )
  }

  #checkStatusCode(name: string, { method, status, text }: Exchange): void {
    if (method !== 'HEAD') {
      assert.equal(
        JSON.parse(text).statusCode,
        status,
        `${name} names another status in its envelope`
      )
    }
  }
}

const FORMATS = {
  'uuid': /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
} as const

/** Inside of a document a reference begins with `#`; a schema that was taken out must name the document, too. */
function absolute(schema: unknown): Record<string, unknown> {
  const text = JSON.stringify(schema)
  return JSON.parse(text.replaceAll('"$ref":"#/', '"$ref":"openapi#/'))
}

function patternOf(template: string): RegExp {
  const escaped = template.replace(/(.)\/$/, '$1').replace(/[.*+?^$()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}$`, 'i')
}

function parameterCount(path: string): number {
  return path.split('{').length
}

/**
 * Checks every answer that the API client gets, until the returned function is called. A test that gets an answer the
 * document does not describe fails at its request.
 */
export function checkEveryAnswer(): () => void {
  let conformance: Conformance | undefined
  ApiClient.teardown((response: ApiResponse) => {
    conformance ??= new Conformance(documentOf())
    conformance.check(exchangeOf(response))
  })
  return () => void ApiClient.clearTeardownHooks()
}

function exchangeOf(response: ApiResponse): Exchange {
  const { method, endpoint } = response.request.config
  return {
    method: method.toUpperCase(),
    path: documentedPath(new URL(endpoint)),
    status: response.status(),
    contentType: response.header('content-type') ?? '',
    text: response.text() ?? '',
  }
}

/** A surface that stands alone is asked without the prefix it has in the document of all surfaces. */
function documentedPath({ href, pathname }: URL): string {
  const alone = isTogether()
    ? undefined
    : SURFACE_NAMES.find((name) => href.startsWith(`${at(name, '')}/`))
  return alone ? SURFACE_PREFIXES[alone] + pathname : pathname
}
