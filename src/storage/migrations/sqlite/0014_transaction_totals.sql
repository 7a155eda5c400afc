-- Processes of the release before: may run

-- The number of transactions by project and currency, and their revenue: captured transactions that are no tests. Units are
-- summed in two halves, so that no 64-bit sum overflows. Triggers keep the totals, which a summary would have to sum.
CREATE TABLE transaction_total (
  project_id TEXT NOT NULL,
  is_billed INTEGER NOT NULL, -- 1: with an id of the billing provider
  currency_code TEXT NOT NULL,
  count INTEGER NOT NULL,
  revenue_count INTEGER NOT NULL,
  high INTEGER NOT NULL, -- billions of units
  low INTEGER NOT NULL, -- the rest of the units
  nanos INTEGER NOT NULL,
  PRIMARY KEY (project_id, is_billed, currency_code)
) STRICT, WITHOUT ROWID;

INSERT INTO transaction_total
  SELECT project_id, billing_transaction_id <> '', currency_code, count(*), sum(is_revenue), sum(is_revenue * (units / 1000000000)),
    sum(is_revenue * (units % 1000000000)), sum(is_revenue * nanos)
  FROM transaction_record GROUP BY 1, 2, 3;

CREATE TRIGGER total_by_insert AFTER INSERT ON transaction_record BEGIN
  INSERT INTO transaction_total VALUES (
    new.project_id, new.billing_transaction_id <> '', new.currency_code, 1, new.is_revenue,
    new.is_revenue * (new.units / 1000000000), new.is_revenue * (new.units % 1000000000), new.is_revenue * new.nanos
  ) ON CONFLICT DO UPDATE SET
    count = count + excluded.count, revenue_count = revenue_count + excluded.revenue_count,
    high = high + excluded.high, low = low + excluded.low, nanos = nanos + excluded.nanos;
END;
CREATE TRIGGER total_by_delete AFTER DELETE ON transaction_record BEGIN
  UPDATE transaction_total SET
    count = count - 1, revenue_count = revenue_count - old.is_revenue,
    high = high - old.is_revenue * (old.units / 1000000000),
    low = low - old.is_revenue * (old.units % 1000000000), nanos = nanos - old.is_revenue * old.nanos
  WHERE project_id = old.project_id AND is_billed = (old.billing_transaction_id <> '')
    AND currency_code = old.currency_code;
  DELETE FROM transaction_total
  WHERE project_id = old.project_id AND is_billed = (old.billing_transaction_id <> '')
    AND currency_code = old.currency_code AND count = 0;
END;
CREATE TRIGGER total_by_update AFTER UPDATE ON transaction_record BEGIN
  UPDATE transaction_total SET
    count = count - 1, revenue_count = revenue_count - old.is_revenue,
    high = high - old.is_revenue * (old.units / 1000000000),
    low = low - old.is_revenue * (old.units % 1000000000), nanos = nanos - old.is_revenue * old.nanos
  WHERE project_id = old.project_id AND is_billed = (old.billing_transaction_id <> '')
    AND currency_code = old.currency_code;
  DELETE FROM transaction_total
  WHERE project_id = old.project_id AND is_billed = (old.billing_transaction_id <> '')
    AND currency_code = old.currency_code AND count = 0;
  INSERT INTO transaction_total VALUES (
    new.project_id, new.billing_transaction_id <> '', new.currency_code, 1, new.is_revenue,
    new.is_revenue * (new.units / 1000000000), new.is_revenue * (new.units % 1000000000), new.is_revenue * new.nanos
  ) ON CONFLICT DO UPDATE SET
    count = count + excluded.count, revenue_count = revenue_count + excluded.revenue_count,
    high = high + excluded.high, low = low + excluded.low, nanos = nanos + excluded.nanos;
END;
DROP INDEX transaction_record_revenue;
