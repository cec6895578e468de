import type { Page, View } from '#console/page'
import { HubFailure } from '#console/hub_failure'
import { readAnalysis } from './analysis_page.js'
import { requireFile } from './files.js'
import { readableText } from './readable_text.js'

/** The number of bytes that are shown. */
const MAX_BYTES = 256 * 1024
const RANGE_BEYOND_END = 416

/** Shows the beginning of a file as text. */
export async function showFile(page: Page): Promise<View> {
  const id = page.uuid('id')
  const [analysis, file] = await Promise.all([readAnalysis(page, id), requireFile(page)])
  const content = await readBeginning(page, file.id)
  const { size } = file
  const isCut = size === null || size > content.length
  return page.view('analyses/file', {
    title: file.name,
    analysis,
    tab: 'files',
    file,
    text: readableText(content, isCut),
    isEmpty: content.length === 0,
    isCut,
    shown: content.length,
  })
}

async function readBeginning({ hub }: Page, fileId: string): Promise<Buffer> {
  try {
    const response = await hub.open('storage', `/bucket-files/${fileId}/stream`, {
      'accept': '*/*',
      'accept-encoding': 'identity',
      'range': `bytes=0-${MAX_BYTES - 1}`,
    })
    return await readUpTo(response, MAX_BYTES)
  } catch (error) {
    if (error instanceof HubFailure && error.status === RANGE_BEYOND_END) {
      return Buffer.alloc(0)
    }
    throw error
  }
}

/** Protects the memory from a service that ignores the range. */
async function readUpTo({ body }: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= limit) {
      break
    }
  }
  return Buffer.concat(chunks).subarray(0, limit)
}
