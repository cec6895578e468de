import type { BackupStore } from './backup_store.js'
import type { Manifest } from './manifest.js'
import { inSections, objectSections, partOf, readObjects } from '#backup/objects/object_list'
import { unpack } from './pack.js'

/** Section of tables and lists. */
export const TABLES = 'tables'

/** Prefix of the tables and lists of a backup. */
export const prefixOf = (id: string): string => `${TABLES}/${id}.`

/** Removes what a completed backup does not need: tables of earlier ones and unlisted objects. */
export async function removeOutdated(
  backupStore: BackupStore,
  { id, objects }: Manifest,
  signal: AbortSignal
): Promise<void> {
  await removeFrom(backupStore, TABLES, (name) => !name.startsWith(prefixOf(id)))
  if (!objects) {
    return
  }
  const used = new Set<string>()
  const removeUnlisted = async (chunks: AsyncIterable<Buffer>) => {
    for await (const { section, objects: listed } of inSections(readObjects(chunks))) {
      used.add(section)
      const parts = new Set(listed.map(partOf))
      await removeFrom(backupStore, section, (name) => !parts.has(name))
    }
  }
  await unpack(backupStore, objects.part, objects, removeUnlisted, signal)
  for (const section of objectSections()) {
    if (!used.has(section)) {
      await removeFrom(backupStore, section, () => true)
    }
  }
}

async function removeFrom(
  backupStore: BackupStore,
  section: string,
  isOutdated: (name: string) => boolean
): Promise<void> {
  for await (const { name } of backupStore.list(section)) {
    if (isOutdated(name)) {
      await backupStore.remove(name)
    }
  }
}
