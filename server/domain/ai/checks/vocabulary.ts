// Words around numbers, in five languages: months, units of time and currencies.
import { foldText } from '../../../../flow-engine/fold-text.ts'

const table = <T>(rows: readonly (readonly [string, T])[]): ReadonlyMap<string, T> =>
  new Map(
    rows.flatMap(([words, value]) =>
      words
        .split(' ')
        .map((word) => [foldText(word), value] as const)
        // What is left of a sign.
        .filter(([word]) => word !== ''),
    ),
  )

export const MONTHS = table([
  ['january jan januar jänner enero janvier janeiro', 1],
  ['february feb februar febrero fevrier fevereiro', 2],
  ['march mar märz marzo mars março', 3],
  ['april apr abril avril', 4],
  ['mayo maio', 5],
  ['june jun juni junio juin junho', 6],
  ['july jul juli julio juillet julho', 7],
  ['august aug agosto août', 8],
  ['september sept sep septiembre septembre setembro', 9],
  ['october oct oktober okt octubre octobre outubro', 10],
  ['november nov noviembre novembre novembro', 11],
  ['december dec dezember dez diciembre décembre dezembro', 12],
  // Also words of other meanings: only beside a day.
  ['may mai', 5],
])

/** In hours, or in months where there is no exact number of them. */
export const DURATIONS = table<{ hours: number } | { months: number }>([
  ['hour hours hrs stunde stunden std hora horas heure heures ora ore uur', { hours: 1 }],
  ['day days tag tage tagen día días jour jours dia dias giorno giorni dag dagen', { hours: 24 }],
  ['week weeks woche wochen semana semanas semaine semaines settimana settimane week weken', { hours: 168 }],
  ['month months monat monate monaten mes meses mois mês mese mesi maand maanden', { months: 1 }],
  ['year years jahr jahre jahren año años an ans ano anos anno anni jaar', { months: 12 }],
])

export const PERCENT = new Set([
  'percent',
  'prozent',
  'pct',
  'procent',
  'процент',
  'процента',
  'процентов',
  'відсотків',
])
export const PERCENT_PAIRS = new Set(['per cent', 'por ciento', 'pour cent', 'por cento', 'per cento'])

/** Half the price, by the first of its words: what follows. */
export const HALF: ReadonlyMap<string, string[][]> = new Map([
  ['half', [['price'], ['the', 'price'], ['off']]],
  ['halber', [['preis']]],
  ['halben', [['preis']]],
  [
    'mitad',
    [
      ['de', 'precio'],
      ['del', 'precio'],
    ],
  ],
  ['moitie', [['prix'], ['du', 'prix']]],
  ['metade', [['do', 'preco']]],
  ['meta', [['prezzo'], ['del', 'prezzo']]],
  ['halve', [['prijs']]],
])

/** “2 to 4 days” */
export const BETWEEN_NUMBERS = new Set(
  'to and or bis und oder a y o al à et ou e até ou alle en tot of'.split(' ').map(foldText),
)

export const CURRENCIES = table([
  ['€ eur euro euros', 'eur'],
  ['$ usd dollar dollars dólares dólar', 'usd'],
  ['£ gbp pound pounds', 'gbp'],
  ['chf franken fr', 'chf'],
  ['¥ jpy yen', 'jpy'],
  ['₹ inr rupees', 'inr'],
  ['zł pln zloty', 'pln'],
  ['₺ try lira', 'try'],
  ['brl reais real', 'brl'],
  ['sek nok dkk kr', 'kr'],
  ['₽ rub', 'rub'],
  ['cent cents ct', 'cent'],
])

/** Signs that foldText removes. */
export const SIGNS: ReadonlyMap<string, string> = new Map([
  ['€', 'eur'],
  ['$', 'usd'],
  ['£', 'gbp'],
  ['¥', 'jpy'],
  ['₹', 'inr'],
  ['₺', 'try'],
  ['₽', 'rub'],
])

/** Those that follow a number in words: the others are words of other meanings. */
export const CURRENCY_NAMES = new Set(
  'euro euros eur dollar dollars dólares dólar usd pound pounds gbp franken yen rupees zloty zł lira reais cent cents'
    .split(' ')
    .map(foldText),
)
