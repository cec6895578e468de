import type { HttpContext } from '@adonisjs/core/http'

import type { Access } from '#kernel/access'
import type { BodyValidator } from '#kernel/body'
import type { Failure } from '#kernel/failures'
import type { JsonSchema } from '#kernel/json_schema'
import type { Served } from '#configuration/surfaces'
import type { VerbatimBody } from './read_body.js'

/** A response of a route by status: JSON with a schema, another content type, or no content. */
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

/** A header parameter other than authentication. */
export type HeaderParameter = Parameter & { required: boolean }

/** The declaration of a route: access, parameters and responses. */
export interface Operation {
  name: string
  summary: string
  access: Access
  /** The access that admits the caller, if the service checks the rest after reading the body. */
  entry?: Access
  body?: BodyValidator<any>
  /** The limit of the body; 1 MiB by default. */
  maxBodyBytes?: number | undefined
  /** Keeps the source text of the body, for attributes that are stored verbatim. */
  verbatim?: VerbatimBody
  /** The body that the handler itself reads from the connection. */
  rawBody?: { contentType: string; schema: JsonSchema; isOptional?: boolean }
  query?: readonly Parameter[]
  headers?: readonly HeaderParameter[]
  /** Converts errors of the handler into the format of its protocol. */
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

/** Collects the routes of a surface. */
export class SurfaceRoutes {
  readonly declared: DeclaredRoute[] = []

  get(path: string, handler: Handler, operation: Operation): this {
    return this.#declare('GET', path, handler, operation)
  }

  /** For HEAD without GET; a GET route also answers HEAD. */
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

/** A surface: a group of routes with its own base path. */
export interface Surface {
  name: Served | 'hub'
  title: string
  summary: string
  routes: (routes: SurfaceRoutes) => void
  /** Called for each authorized request, which waits for the returned promise, if any. */
  onCaller?: (ctx: HttpContext) => Promise<void> | undefined
  /** Shows a failure below its prefix as a page, to callers who prefer one to JSON. */
  showFailure?: (ctx: HttpContext, failure: Failure) => Promise<void>
}
