import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import type { HttpContext } from '@adonisjs/core/http'

import { EntityNotFound } from '#kernel/failures'

const FOLDER = new URL('../../resources/console/', import.meta.url)
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  'console.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

interface Asset {
  readonly contentType: string
  readonly content: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>
}

/** The files of the pages. Their names contain their digest, so that browsers keep them. */
export class Assets {
  readonly #byFile = new Map<string, Asset>()
  readonly #files = new Map<string, string>()

  constructor() {
    for (const [name, contentType] of Object.entries(CONTENT_TYPES)) {
      const identity = readFileSync(new URL(name, FOLDER))
      const digest = createHash('sha256').update(identity).digest('hex').slice(0, 12)
      const file = name.replace('.', `-${digest}.`)
      const content = { identity, gzip: gzipSync(identity), br: brotliCompressSync(identity) }
      this.#files.set(name, file)
      this.#byFile.set(file, { contentType, content })
    }
  }

  /** The path of a file within the console. */
  path(name: string): string {
    const file = this.#files.get(name)
    if (file === undefined) {
      throw new Error(`The console has no file ${name}`)
    }
    return `/assets/${file}`
  }

  send({ request, response }: HttpContext, file: string): void {
    const asset = this.#byFile.get(file)
    if (!asset) {
      throw new EntityNotFound('file')
    }
    const encoding = request.encoding(['br', 'gzip']) as 'br' | 'gzip' | null
    response.header('content-type', asset.contentType)
    response.header('cache-control', 'public, max-age=31536000, immutable')
    response.append('vary', 'Accept-Encoding')
    if (encoding) {
      response.header('content-encoding', encoding)
    }
    response.send(asset.content[encoding ?? 'identity'])
  }
}
