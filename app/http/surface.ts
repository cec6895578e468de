import type { HttpContext } from '@adonisjs/core/http'

import type { Access } from '#kernel/access'
import type { BodyValidator } from '#kernel/body'
import type { Failure } from '#kernel/failures'
import type { JsonSchema } from '#kernel/json_schema'
import type { SurfaceName } from '#configuration/surfaces'
import type { VerbatimBody } from './read_body.js'

/**
 * What a route answers with one status: JSON of a schema, another content type, or nothing.
 */
export interface ResponseDeclaration {
  description: string
  schema?: JsonSchema
  contentType?: string
  headers?: Record<string, string>
}

export interface Parameter {
  name: string
  description: string
  schema: JsonSchema
  required?: boolean
}

/** What has to be said in a header, beside who is asking. */
export type HeaderParameter = Parameter & { required: boolean }

/**
 * Everything a route says of itself: what a caller needs, what it takes and what it answers.
 */
export interface Operation {
  name: string
  summary: string
  access: Access
  /** What lets a caller through the door, where the service itself asks for the rest after it saw the body. */
  entry?: Access
  body?: BodyValidator<any>
  /** The largest body that it takes; a mebibyte where nothing is said. */
  maxBodyBytes?: number | undefined
  /** Keeps the text of the body beside its content, for attributes that nobody here looks into. */
  verbatim?: VerbatimBody
  /** What its handler reads from the connection by itself, instead of a body that was read before. */
  rawBody?: { contentType: string; schema: JsonSchema; isOptional?: boolean }
  query?: readonly Parameter[]
  headers?: readonly HeaderParameter[]
  /** Puts whatever fails after the route was found into the words of its protocol. */
  translateError?: (error: unknown, ctx: HttpContext) => Failure
  responses: Record<number, ResponseDeclaration>
}

export type Handler = (ctx: HttpContext) => unknown
export type Method = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface DeclaredRoute {
  method: Method
  path: string
  operation: Operation
  handler: Handler
}

/**
 * Where a surface writes down its routes.
 */
export class SurfaceRoutes {
  readonly declared: DeclaredRoute[] = []

  get(path: string, handler: Handler, operation: Operation): this {
    return this.#declare('GET', path, handler, operation)
  }

  /** For what is only asked about; a GET answers HEAD by itself. */
  head(path: string, handler: Handler, operation: Operation): this {
    return this.#declare('HEAD', path, handler, operation)
  }

  options(path: string, handler: Handler, operation: Operation): this {
    return this.#declare('OPTIONS', path, handler, operation)
  }

  post(path: string, handler: Handler, operation: Operation): this {
    return this.#declare('POST', path, handler, operation)
  }

  patch(path: string, handler: Handler, operation: Operation): this {
    return this.#declare('PATCH', path, handler, operation)
  }

  delete(path: string, handler: Handler, operation: Operation): this {
    return this.#declare('DELETE', path, handler, operation)
  }

  #declare(method: Method, path: string, handler: Handler, operation: Operation): this {
    this.declared.push({ method, path, handler, operation })
    return this
  }
}

/**
 * A surface: one group of routes with its own base address.
 */
export interface Surface {
  name: SurfaceName | 'hub'
  title: string
  summary: string
  routes: (routes: SurfaceRoutes) => void
  /** Told of each request that was let in; the request waits for what it answers, if anything. */
  onCaller?: (ctx: HttpContext) => Promise<void> | undefined
}
