import { registryProject } from '#core/registry_projects/registry_project'
import { RegistryProjectService } from '#core/registry_projects/registry_project_service'
import { lazyService } from '#records/services'

/** Registry projects as people change them: their registries follow. */
export const registryProjects = lazyService('core', registryProject, RegistryProjectService)

/** Registry projects as their registries are: writing what was found there sets off nothing. */
export const registryProjectRecords = lazyService('core', registryProject)
