import type { NotificationSettings } from '../../state/types.ts'

const KINDS = [
  { kind: 'assigned', label: 'Assigned to me' },
  { kind: 'mentioned', label: 'Mentions of me' },
  { kind: 'message', label: 'New messages in my conversations' },
  { kind: 'unassigned', label: 'New unassigned conversations' },
] as const

const WAYS = [
  { way: 'desktop', label: 'Desktop' },
  { way: 'sound', label: 'Sound' },
  { way: 'email', label: 'Email' },
] as const

/** What leads to which kind of notification. */
export const KindTable = ({
  settings,
  onChange,
}: {
  settings: NotificationSettings
  onChange: (change: Partial<NotificationSettings>) => void
}) => (
  <div className="table-place">
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Notify me of</th>
          {WAYS.map(({ way, label }) => (
            <th key={way} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {KINDS.map(({ kind, label }) => (
          <tr key={kind}>
            <td>{label}</td>
            {WAYS.map(({ way, label: wayLabel }) => (
              <td key={way}>
                <input
                  type="checkbox"
                  className="tick__checkbox"
                  aria-label={`${label}: ${wayLabel}`}
                  checked={settings[way][kind]}
                  onChange={({ target }) => onChange({ [way]: { ...settings[way], [kind]: target.checked } })}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
