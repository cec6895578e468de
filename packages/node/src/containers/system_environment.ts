/** The environment of the machine's own programs. Variables of an image would change what they do. */
export const SYSTEM_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
}
