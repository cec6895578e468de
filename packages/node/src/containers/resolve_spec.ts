import type { ContainerSpec } from './container_driver.js'
import { ImagePaths } from './image_paths.js'

/** A specification whose working folder and program were resolved within the root of the image. */
export function resolveSpec(spec: ContainerSpec): ContainerSpec {
  const paths = new ImagePaths(spec.rootPath)
  const workingFolder = paths.folder(spec.workingFolder)
  const [name = '', ...args] = spec.command
  const program = paths.program(name, workingFolder, spec.variables.PATH ?? '')
  return { ...spec, workingFolder, command: [program, ...args] }
}
