// PostgreSQL with a synchronous replica under Patroni, etcd to elect the primary, HAProxy in front, and Redis or Valkey with
// Sentinel: Debian's packages, all on loopback. docs/operations.md recommends the settings that are tried here.
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from './ports.ts'
import { makeProgram, type Program, postgresPids, type User } from './program.ts'

export const PATRONI_SETTINGS = {
  ttl: 10,
  loop_wait: 2,
  retry_timeout: 3,
  primary_start_timeout: 5,
  synchronous_mode: true,
  failsafe_mode: true,
}
export const POSTGRES_SETTINGS = {
  wal_level: 'replica',
  hot_standby: 'on',
  wal_log_hints: 'on',
  synchronous_commit: 'on',
  wal_sender_timeout: '4s',
  wal_receiver_timeout: '4s',
  max_connections: 200,
}
const VERSIONS = ['18', '17', '16', '15']
const SENTINEL_NAME = 'foyer'
const NODES = ['one', 'two'] as const
type NodeName = (typeof NODES)[number]

const binaries = VERSIONS.map((version) => `/usr/lib/postgresql/${version}/bin`).find((path) =>
  existsSync(join(path, 'postgres')),
)
const firstOf = (...paths: string[]): string | undefined => paths.find((path) => existsSync(path))

const PROGRAMS = {
  'postgresql (apt-get install postgresql)': binaries,
  'patroni (apt-get install patroni)': firstOf('/usr/bin/patroni'),
  'etcd (apt-get install etcd-server)': firstOf('/usr/bin/etcd'),
  'python3-etcd (apt-get install python3-etcd)': firstOf('/usr/lib/python3/dist-packages/etcd/__init__.py'),
  'haproxy (apt-get install haproxy)': firstOf('/usr/sbin/haproxy'),
  'valkey-server or redis-server (apt-get install redis-server)': firstOf(
    '/usr/bin/valkey-server',
    '/usr/bin/redis-server',
  ),
}

/** What has to be installed first. */
export const missingPrograms = (): string[] =>
  Object.entries(PROGRAMS).flatMap(([name, path]) => (path ? [] : [name]))

/** PostgreSQL refuses to run as root. */
export const databaseUser = (): User => {
  if (process.getuid?.() !== 0) return {}
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres')
  return { uid: Number(entry?.[2]), gid: Number(entry?.[3]) }
}

type Node = { name: NodeName; port: number; restPort: number; directory: string; patroni: Program }

export type Cluster = {
  /** Through HAProxy, to the primary. */
  databaseUrl: string
  /** Through HAProxy, to the replica. */
  replicaUrl: string
  redisUrl: string
  redisPorts: readonly number[]
  nodes: readonly Node[]
  etcd: readonly Program[]
  haproxy: Program
  redis: readonly Program[]
  sentinels: readonly Program[]
  /** Every program, in the order in which they are started. */
  programs: readonly Program[]
}

const patroniSettings = (node: Omit<Node, 'patroni'>, etcdPorts: number[]): object => ({
  scope: 'foyer',
  name: node.name,
  restapi: { listen: `127.0.0.1:${node.restPort}`, connect_address: `127.0.0.1:${node.restPort}` },
  // The second version of etcd's protocol: over the third, Patroni 3.0.2 (Debian 12) takes the lock back from the new primary
  // when it was frozen for longer than its ttl.
  etcd: { hosts: etcdPorts.map((port) => `127.0.0.1:${port}`) },
  bootstrap: {
    dcs: {
      ...PATRONI_SETTINGS,
      postgresql: { use_pg_rewind: true, use_slots: true, parameters: POSTGRES_SETTINGS },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
  },
  postgresql: {
    listen: `127.0.0.1:${node.port}`,
    connect_address: `127.0.0.1:${node.port}`,
    data_dir: node.directory,
    bin_dir: binaries,
    pgpass: join(node.directory, '..', `${node.name}.pgpass`),
    authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
    parameters: { unix_socket_directories: '' },
    pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
  },
})

const haproxySettings = (
  nodes: readonly Omit<Node, 'patroni'>[],
  ports: { primary: number; replica: number },
): string => {
  const servers = nodes.map(
    ({ name, port, restPort }) => `  server ${name} 127.0.0.1:${port} check port ${restPort}`,
  )
  const listen = (name: 'primary' | 'replica'): string[] => [
    `listen ${name}`,
    `  bind 127.0.0.1:${ports[name]}`,
    `  option httpchk GET /${name}`,
    '  http-check expect status 200',
    '  default-server inter 1s fastinter 500ms downinter 500ms rise 1 fall 2 on-marked-down shutdown-sessions',
    ...servers,
  ]
  return [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout check 1s',
    '  timeout client 1h',
    '  timeout server 1h',
    ...listen('primary'),
    ...listen('replica'),
    '',
  ].join('\n')
}

const sentinelSettings = (port: number, masterPort: number): string =>
  [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${SENTINEL_NAME} 3000`,
    `sentinel failover-timeout ${SENTINEL_NAME} 10000`,
    '',
  ].join('\n')

/** Writes the settings of everything under `root` and starts nothing. */
export const makeCluster = async (root: string): Promise<Cluster> => {
  const logs = join(root, 'logs')
  const user = databaseUser()
  const ports = await freePorts(17)
  const take = (): number => ports.pop()!
  const folder = (name: string, owner: User = {}): string => {
    const path = join(root, name)
    mkdirSync(path, { recursive: true, mode: 0o755 })
    if (owner.uid !== undefined) chownSync(path, owner.uid, owner.gid ?? owner.uid)
    return path
  }
  const settings = (name: string, text: string): string => {
    const path = join(root, name)
    writeFileSync(path, text, { mode: 0o666 })
    return path
  }
  folder('logs')

  const members = [0, 1, 2].map((index) => ({ name: `etcd-${index}`, port: take(), peer: take() }))
  const etcd = members.map(({ name, port, peer }) =>
    makeProgram({
      name,
      logs,
      command: '/usr/bin/etcd',
      args: [
        ...['--name', name, '--data-dir', folder(name)],
        ...['--listen-client-urls', `http://127.0.0.1:${port}`],
        ...['--advertise-client-urls', `http://127.0.0.1:${port}`],
        ...['--listen-peer-urls', `http://127.0.0.1:${peer}`],
        ...['--initial-advertise-peer-urls', `http://127.0.0.1:${peer}`],
        ...['--enable-v2', '--heartbeat-interval', '250', '--election-timeout', '2500'],
        '--initial-cluster',
        members.map((member) => `${member.name}=http://127.0.0.1:${member.peer}`).join(','),
      ],
    }),
  )
  const places = NODES.map((name) => ({
    ...{ name, port: take(), restPort: take() },
    directory: join(folder(`postgres-${name}`, user), 'data'),
  }))
  const etcdPorts = members.map(({ port }) => port)
  const nodes = places.map((place) => ({
    ...place,
    patroni: makeProgram({
      name: `patroni-${place.name}`,
      logs,
      command: '/usr/bin/patroni',
      // JSON is YAML as well.
      args: [settings(`patroni-${place.name}.yml`, JSON.stringify(patroniSettings(place, etcdPorts)))],
      others: () => postgresPids(place.directory),
      user,
    }),
  }))
  const fronts = { primary: take(), replica: take() }
  const haproxy = makeProgram({
    name: 'haproxy',
    logs,
    command: '/usr/sbin/haproxy',
    args: ['-db', '-f', settings('haproxy.cfg', haproxySettings(places, fronts))],
  })
  const redisPorts = [take(), take()]
  const server = PROGRAMS['valkey-server or redis-server (apt-get install redis-server)']!
  const redis = redisPorts.map((port, index) =>
    makeProgram({
      name: `redis-${index}`,
      logs,
      command: server,
      args: [
        ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder(`redis-${index}`)],
        ...(index > 0 ? ['--replicaof', '127.0.0.1', String(redisPorts[0])] : []),
      ],
    }),
  )
  const sentinelPorts = [take(), take(), take()]
  const sentinels = sentinelPorts.map((port, index) =>
    makeProgram({
      name: `sentinel-${index}`,
      logs,
      command: server,
      args: [settings(`sentinel-${index}.conf`, sentinelSettings(port, redisPorts[0]!)), '--sentinel'],
    }),
  )
  return {
    databaseUrl: `postgresql://foyer@127.0.0.1:${fronts.primary}/foyer`,
    replicaUrl: `postgresql://foyer@127.0.0.1:${fronts.replica}/foyer`,
    redisUrl: `redis+sentinel://${sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',')}/${SENTINEL_NAME}`,
    ...{ redisPorts, nodes, etcd, haproxy, redis, sentinels },
    programs: [...etcd, ...nodes.map(({ patroni }) => patroni), haproxy, ...redis, ...sentinels],
  }
}
