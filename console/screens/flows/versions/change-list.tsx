import { Badge, type Tone } from '../../../ui/badge.tsx'
import type { Difference } from '../definition/compare-definitions.ts'

const LOOKS: Record<Difference['kind'], { word: string; tone: Tone }> = {
  added: { word: 'Added', tone: 'ok' },
  removed: { word: 'Removed', tone: 'danger' },
  changed: { word: 'Changed', tone: 'accent' },
  moved: { word: 'Moved', tone: 'plain' },
}

/** What differs between two definitions, as a list to read. */
export const ChangeList = ({ changes }: { changes: Difference[] }) =>
  changes.length === 0 ? (
    <p className="text-soft">No differences.</p>
  ) : (
    <ul className="stack stack--tight">
      {changes.map(({ kind, words, lines }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: differences have no identity
        <li key={at} className="row row--top">
          <Badge tone={LOOKS[kind].tone}>{LOOKS[kind].word}</Badge>
          <span className="grow">
            <bdi>{words}</bdi>
            {lines.map((line) => (
              <span key={line} className="flow-change__line user-text">
                {line}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  )
