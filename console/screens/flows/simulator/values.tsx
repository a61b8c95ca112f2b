// What the run and the contact hold, with what the last move changed.
import type { Simulation } from '../../../../flow-engine/simulate.ts'
import { Badge } from '../../../ui/badge.tsx'
import { t } from '../../../words/t.ts'
import type { Names } from '../definition/words.ts'
import { type Game, standOf } from './play.ts'

export const Values = ({ game, names }: { game: Game; names: Names }) => {
  const stand = standOf(game)
  const before = game.played.at(-1)?.before ?? stand
  const known = new Map(valuesOf(before, names))
  const isNew = (name: string, value: string): boolean => before.state !== null && known.get(name) !== value
  const values = valuesOf(stand, names)
  if (values.length === 0) return <p className="text-soft text-small">{t`Nothing is set yet.`}</p>
  return (
    <dl className="simulator__values">
      {values.map(([name, value]) => (
        <div key={name}>
          <dt className="text-soft">{name}</dt>
          <dd className="user-text">
            <bdi>{value}</bdi> {isNew(name, value) && <Badge tone="accent">{t`new`}</Badge>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const valuesOf = ({ state, env }: Simulation, names: Names): [string, string][] => {
  const { contact, conversation } = env
  const all: [string, unknown][] = [
    ...Object.entries(state?.variables ?? {}),
    ...Object.entries(state?.calls ?? {}),
    [t`contact’s name`, contact.name],
    [t`contact’s email`, contact.email],
    [t`contact’s phone`, contact.phone],
    ...Object.entries(contact.fields).map(([key, value]): [string, unknown] => [t`contact’s ${key}`, value]),
    [t`tags`, contact.tags.map(({ name }) => name).join(', ')],
    [t`assigned to`, conversation.agent && names.name('agent', conversation.agent.id)],
  ]
  return all.flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined || value === '') return []
    if (typeof value === 'boolean') return [[name, value ? t`yes` : t`no`]]
    return [[name, typeof value === 'string' ? value : JSON.stringify(value)]]
  })
}
