import type { HttpContext } from '@adonisjs/core/http'

const POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ')

/** Pages load nothing from elsewhere, run no code in their text, are in no frame, and are not stored. */
export function setPageHeaders({ response }: HttpContext): void {
  response.header('content-type', 'text/html; charset=utf-8')
  response.header('content-security-policy', POLICY)
  response.header('cross-origin-opener-policy', 'same-origin')
  response.header('cache-control', 'private, no-store')
  response.header('vary', 'Cookie')
}
