import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import type { HttpContext } from '@adonisjs/core/http'

import { EntityNotFound } from '#kernel/failures'

const FOLDER = new URL('../../resources/', import.meta.url)

interface AssetSource {
  readonly contentType: string
  readonly parts: readonly string[]
}

const SOURCES: Readonly<Record<string, AssetSource>> = {
  'console.css': {
    contentType: 'text/css; charset=utf-8',
    parts: ['look/look.css', 'console/console.css'],
  },
  'console.js': { contentType: 'text/javascript; charset=utf-8', parts: ['console/console.js'] },
  'icon.svg': { contentType: 'image/svg+xml', parts: ['look/icon.svg'] },
}

interface Asset {
  readonly contentType: string
  readonly content: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>
}

/** The static files of the pages. Their names contain their digest, so that browsers can cache them. */
export class Assets {
  readonly #byFile = new Map<string, Asset>()
  readonly #files = new Map<string, string>()

  constructor() {
    for (const [name, { contentType, parts }] of Object.entries(SOURCES)) {
      const identity = Buffer.concat(parts.map((part) => readFileSync(new URL(part, FOLDER))))
      const digest = createHash('sha256').update(identity).digest('hex').slice(0, 12)
      const file = name.replace('.', `-${digest}.`)
      const content = { identity, gzip: gzipSync(identity), br: brotliCompressSync(identity) }
      this.#files.set(name, file)
      this.#byFile.set(file, { contentType, content })
    }
  }

  /** The URL path of a file. */
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
