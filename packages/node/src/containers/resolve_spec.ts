import type { ContainerSpec } from './container_driver.js'
import { ImagePaths } from './image_paths.js'
import { writableFolder, type WritableFolder } from './working_folder.js'

/** A specification whose working folder and program were resolved within the root of the image. */
export interface ResolvedSpec extends ContainerSpec {
  /** The working folder, if it is writable. */
  readonly writable: WritableFolder | undefined
}

export function resolveSpec(spec: ContainerSpec): ResolvedSpec {
  const paths = new ImagePaths(spec.rootPath)
  const workingFolder = paths.folder(spec.workingFolder)
  const [name = '', ...args] = spec.command
  const program = paths.program(name, workingFolder, spec.variables.PATH ?? '')
  const writable = writableFolder(spec.rootPath, workingFolder, spec.limits.tmpBytes)
  return { ...spec, workingFolder, writable, command: [program, ...args] }
}
