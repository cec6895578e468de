import type { Place } from './registry_links.js'
import { corePool } from './work.js'

const FIND_STRAYS = `
  update registry_links l set due_at = now(), attempts = 0, revision = revision + 1
  where ($1::uuid is null or l.registry_id = $1) and l.due_at is null and not exists (
    select 1 from registry_projects p
    where p.registry_id = l.registry_id and p.external_name = l.external_name)
  returning registry_id as "registryId", external_name as "externalName"`

const FIND_UNLINKED = `
  insert into registry_links (registry_id, external_name, due_at)
  select registry_id, external_name, now() from registry_projects p where not exists (
    select 1 from registry_states s where s.registry_id = p.registry_id and s.is_leaving)
  on conflict do nothing
  returning registry_id as "registryId", external_name as "externalName"`

const FIND_UNPROVEN = `
  update registry_links set due_at = now(), attempts = 0, revision = revision + 1
  where due_at is null and not is_parted and settled_at < now() - interval '1 day'`

/** Makes due what the platform has in registries although no record names it any more; of all of them, or of one. */
export async function findStrays(registryId: string | null): Promise<Place[]> {
  const { rows } = await corePool().query<Place>(FIND_STRAYS, [registryId])
  return rows
}

/** Makes due what records name and nobody ever asked a registry for. */
export async function findUnlinked(): Promise<Place[]> {
  const { rows } = await corePool().query<Place>(FIND_UNLINKED)
  return rows
}

/** Makes due what nobody has looked at for a day: registries are restored from backups, and cleaned up by hand. */
export async function findUnproven(): Promise<void> {
  await corePool().query(FIND_UNPROVEN)
}
