-- Waits until the device is ready, and fails where there is none.
CREATE EXTENSION IF NOT EXISTS scan;
DO $$
DECLARE
    now record;
BEGIN
    FOR i IN 1 .. 600 LOOP
        SELECT state, reason INTO now FROM scan_status;
        IF now.state = 'ready' THEN
            RETURN;
        ELSIF now.state NOT IN ('starting', 'waiting') THEN
            EXIT;
        END IF;
        PERFORM pg_sleep(0.05);
    END LOOP;
    RAISE 'no device: %, %', now.state, now.reason;
END $$;
