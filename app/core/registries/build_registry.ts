import { LOCAL_IMAGES } from '#oci/local_host'

const hasProject = (type: 'incoming' | 'masterImages') =>
  `exists (select 1 from registry_projects p where p.registry_id = r.id and p.type = '${type}'
    and (p.external_id is not null or r.account_name is null))`

/**
 * Whether a registry `r` has linked projects for builds and for master images. Without an account of the platform there is
 * nothing to link. The image folder is always ready.
 */
const IS_READY = `(r.host = '${LOCAL_IMAGES}'
  or ${hasProject('incoming')} and ${hasProject('masterImages')})`

/** Selects the registry that a build is pushed to: that of its analysis if it is ready, else the oldest ready one. */
export const selectBuildRegistry = (registryId: string): string =>
  `(select r.id from registries r where ${IS_READY}
    order by r.id is distinct from ${registryId}, r.created_at, r.id limit 1)`
