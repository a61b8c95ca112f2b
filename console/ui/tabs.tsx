import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export type Tab = { id: string; label: ReactNode; content: ReactNode }

/** Tabs, of which one is shown. Use `TabLinks` for tabs with URLs. */
export const Tabs = ({
  tabs,
  value,
  onChange,
  label,
}: {
  tabs: Tab[]
  value?: string
  onChange?: (id: string) => void
  label: string
}) => (
  <Base.Root
    className="tabs"
    {...(value === undefined ? { defaultValue: tabs[0]?.id } : { value })}
    onValueChange={(next) => onChange?.(String(next))}
  >
    <Base.List className="tabs__list" aria-label={label}>
      {tabs.map(({ id, label }) => (
        <Base.Tab key={id} value={id} className="tabs__tab">
          {label}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map(({ id, content }) => (
      <Base.Panel key={id} value={id} className="tabs__panel">
        {content}
      </Base.Panel>
    ))}
  </Base.Root>
)
