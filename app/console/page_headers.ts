import type { HttpContext } from '@adonisjs/core/http'

const POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ')

/** Pages load nothing from other origins, run no inline scripts, cannot be framed, and are not cached. */
export function setPageHeaders({ response }: HttpContext): void {
  response.header('content-type', 'text/html; charset=utf-8')
  response.header('content-security-policy', POLICY)
  response.header('cross-origin-opener-policy', 'same-origin')
  response.header('cache-control', 'private, no-store')
  response.header('vary', 'Cookie')
}
