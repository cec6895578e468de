import type { HttpContext } from '@adonisjs/core/http'

import type { Page, PageResult } from '#console/page'
import { sendBody } from '#console/send_body'
import { requireFile } from './files.js'

/** Headers with which a browser shows progress and resumes an interrupted download. */
const PASSED_ON = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified']
const REQUESTED = ['range', 'if-range'] as const
/** If a browser displays the file, it runs no scripts and loads nothing. */
const POLICY = "default-src 'none'; sandbox"

/** Sends any file as a download. */
export async function downloadFile(page: Page, ctx: HttpContext): Promise<PageResult> {
  const { request, response } = ctx
  const sent = REQUESTED.map((name) => [name, request.header(name)] as const)
  const { id } = await requireFile(page)
  const file = await page.hub.open('storage', `/bucket-files/${id}/stream`, {
    'accept': '*/*',
    'accept-encoding': 'identity',
    ...Object.fromEntries(
      sent.filter((header): header is [(typeof header)[0], string] => header[1] !== undefined)
    ),
  })
  response.status(file.status)
  response.header('content-type', 'application/octet-stream')
  response.header('content-disposition', dispositionOf(file))
  response.header('content-security-policy', POLICY)
  response.header('x-content-type-options', 'nosniff')
  for (const name of PASSED_ON) {
    const value = file.headers.get(name)
    if (value !== null) {
      response.header(name, value)
    }
  }
  return sendBody(ctx, file)
}

/** Storage has already sanitized the name. */
function dispositionOf({ headers }: Response): string {
  const disposition = headers.get('content-disposition') ?? ''
  return disposition.startsWith('attachment') ? disposition : 'attachment'
}
