import { LOCAL_IMAGES } from '#oci/local_host'

const hasProject = (type: 'incoming' | 'masterImages') =>
  `exists (select 1 from registry_projects p where p.registry_id = r.id and p.type = '${type}'
    and (p.external_id is not null or r.account_name is null))`

/**
 * True of a registry `r` that has its projects for builds and for the images below them. One that the platform has no account for has nothing to be
 * linked, and the folder of images has all it needs.
 */
const IS_READY = `(r.host = '${LOCAL_IMAGES}'
  or ${hasProject('incoming')} and ${hasProject('masterImages')})`

/** The id of the registry that a build goes to: that of its analysis where it is ready, else the oldest that is. */
export const selectBuildRegistry = (registryId: string): string =>
  `(select r.id from registries r where ${IS_READY}
    order by r.id is distinct from ${registryId}, r.created_at, r.id limit 1)`
