import type { SurfaceName } from '#configuration/surfaces'
import type { Place } from './find_record.js'

/** Where the records are that commands of their own are about. */
export const PROJECTS = place('core', 'project', 'projects')
export const PROJECT_NODES = place('core', 'project-node', 'project-nodes')
export const ANALYSES = place('core', 'analysis', 'analyses')
export const ANALYSIS_NODES = place('core', 'analysis-node', 'analysis-nodes')
export const ANALYSIS_BUCKETS = place('core', 'analysis-bucket', 'analysis-buckets')
export const ANALYSIS_BUCKET_FILES = place('core', 'analysis-bucket-file', 'analysis-bucket-files')
export const NODES = place('core', 'node', 'nodes')
export const REGISTRIES = place('core', 'registry', 'registries')
export const REGISTRY_PROJECTS = place('core', 'registry-project', 'registry-projects')
export const MASTER_IMAGES = place('core', 'master-image', 'master-images')
export const BUCKETS = place('storage', 'bucket', 'buckets')
export const BUCKET_FILES = place('storage', 'bucket-file', 'bucket-files')
export const REALMS = place('identity', 'realm', 'realms')
export const USERS = place('identity', 'user', 'users')
export const CLIENTS = place('identity', 'client', 'clients')
export const ROLES = place('identity', 'role', 'roles')
export const PERMISSIONS = place('identity', 'permission', 'permissions')

function place(service: SurfaceName, name: string, plural: string): Place {
  return { service, name, plural, path: `/${plural}` }
}
