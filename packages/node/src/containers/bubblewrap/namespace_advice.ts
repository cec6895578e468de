import { procFile } from '#node/containers/process_tree'

interface NamespaceSetting {
  readonly name: string
  readonly forbids: (value: string) => boolean
  readonly advice: string
}

const SETTINGS: readonly NamespaceSetting[] = [
  {
    name: 'kernel.apparmor_restrict_unprivileged_userns',
    forbids: (value) => value === '1',
    advice: '"sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"',
  },
  {
    name: 'kernel.unprivileged_userns_clone',
    forbids: (value) => value === '0',
    advice: '"sysctl -w kernel.unprivileged_userns_clone=1"',
  },
  {
    name: 'user.max_user_namespaces',
    forbids: (value) => value === '0',
    advice: '"sysctl -w user.max_user_namespaces=15000"',
  },
]

/** What an administrator sets where accounts without privileges may not make namespaces. */
export function namespaceAdvice(read: (name: string) => string = readSetting): string {
  const forbidding = SETTINGS.filter(({ name, forbids }) => forbids(read(name).trim()))
  if (forbidding.length === 0) {
    return 'Within a container, that one must allow user namespaces and show all of /proc (docs/image.md, Run a node)'
  }
  const commands = forbidding.map(({ advice }) => advice).join(' and ')
  return `This system does not allow user namespaces to everybody: run ${commands} as root, and write the setting into a file of /etc/sysctl.d to keep it`
}

const readSetting = (name: string): string => procFile(`sys/${name.replaceAll('.', '/')}`)
