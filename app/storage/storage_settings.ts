import app from '@adonisjs/core/services/app'

import type { Layout } from '#storage/objects/layout'

/** What unfinished uploads may take up; 0 means no limit. */
export interface UploadQuota {
  readonly uploadsPerActor: number
  readonly uploadsPerBucket: number
  /** Announced bytes, or stored ones where the client deferred the length. */
  readonly bytesPerActor: number
  readonly bytesPerBucket: number
}

/** How many downloads of a process may be open at once. */
export interface DownloadLimits {
  /** 0 means no limit. */
  readonly perIdentity: number
  /** Of any realm except master. */
  readonly perRealm: number
  readonly inAll: number
}

/** Settings of storage, from `config/storage.ts`. */
export interface StorageSettings {
  /** The layout of new objects. */
  readonly layout: Layout
  /** The most bytes of a file; 0 means no limit. */
  readonly uploadMaxBytes: number
  readonly uploadMaxFiles: number
  readonly downloads: DownloadLimits
  /** What unfinished resumable uploads may take up. */
  readonly resumable: UploadQuota
  /** Whether clients and robots need to participate in an analysis to access buckets of other realms. */
  readonly isRealmStrict: boolean
}

export const storageSettings = (): StorageSettings => app.config.get('storage')
