// One installation at a time in a clone. This is a directory rather than a kernel lock because it must work on Node 20
// with nothing installed.

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 100
const heartbeatMs = 2_000
const staleAfterMs = 20_000

/** Runs `work` while holding the directory `lock`; calls `onWait` once if another process holds it. */
export async function withLock(lock, onWait, work) {
  mkdirSync(dirname(lock), { recursive: true })
  let waited = false
  while (!take(lock)) {
    if (removeWhenStale(lock)) continue
    if (!waited) onWait()
    waited = true
    await delay(pollMs)
  }
  const heartbeat = setInterval(() => touch(lock), heartbeatMs)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    rmSync(lock, { recursive: true, force: true })
  }
}

function take(lock) {
  try {
    mkdirSync(lock)
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
  writeFileSync(join(lock, 'owner'), ownerLine())
  return true
}

const ownerLine = () => `${process.pid} ${hostname()} ${Date.now()}`

/**
 * The owner is gone if its process is, or if it has not touched the lock for a while (it may have run in another
 * container, where its process id means nothing here).
 */
function removeWhenStale(lock) {
  const owner = readOwner(lock)
  const age = lockAgeMs(lock)
  if (age === undefined) return true
  const [pid, host] = (owner ?? '').split(' ')
  const ownerDied = host === hostname() && !isAlive(Number(pid))
  if (!ownerDied && age < staleAfterMs) return false

  // Renamed before it is deleted: if several processes find it stale, only one can rename it, and what was renamed is
  // compared with what was checked, in case the lock changed hands in between.
  const aside = `${lock}.stale-${process.pid}`
  try {
    renameSync(lock, aside)
  } catch {
    return true
  }
  if (readOwner(aside) !== owner) {
    try {
      renameSync(aside, lock)
    } catch {}
    return false
  }
  rmSync(aside, { recursive: true, force: true })
  return true
}

function readOwner(lock) {
  try {
    return readFileSync(join(lock, 'owner'), 'utf8')
  } catch {
    return undefined
  }
}

function lockAgeMs(lock) {
  try {
    return Date.now() - statSync(lock).mtimeMs
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function touch(lock) {
  const now = new Date()
  try {
    utimesSync(lock, now, now)
  } catch {}
}
