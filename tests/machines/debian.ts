import { debianRoot } from '#tests/services/servers/debian_root'

/** libfaketime gives a host a clock of its own; Patroni speaks to etcd with python3-etcd. */
const PACKAGES = [
  'etcd-client',
  'etcd-server',
  'haproxy',
  'libfaketime',
  'patroni',
  'postgresql-17',
  'python3-etcd',
  'rabbitmq-server',
  'redis-server',
]

/** The archive of the file system of all hosts but those of the platform. */
export const serversOfDebian = (): Promise<string> =>
  debianRoot({ name: 'machines', packages: PACKAGES })
